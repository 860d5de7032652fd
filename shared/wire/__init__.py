"""Messages and subjects between the services, and the NATS client that carries them."""
