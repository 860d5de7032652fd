"""Nexus cards: twelve cards with three panels each, drawn after a Nexus by whoever has no ally. [NEXUS-01, NEXUS-02]

`holding` says who holds what and how it may be played, `gates` what is asked of all who could hold a card, `plays` what
its holder may play by itself; the packages beside them hold the effects of one card each.
"""
