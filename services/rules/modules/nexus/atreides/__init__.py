"""The Atreides Nexus card: a second element, one element, a question stopped. [NEXUS-ATR]"""
