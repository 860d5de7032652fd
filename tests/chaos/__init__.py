"""Chaos: a deployment of two replicas each, full of running games, whose parts are killed, frozen and cut off."""
