"""What a store must hold, judged from its rows alone: chains, folds, read models, and what clients were promised."""
