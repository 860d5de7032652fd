"""The projection service: folds committed events into what each seat may see."""
