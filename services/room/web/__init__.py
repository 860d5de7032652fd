"""The pages of the front door: home, and the room's page that is first a lobby and then the table."""
