"""The bot service: plays the seats it was given, with the same views, offers and permissions as a person."""
