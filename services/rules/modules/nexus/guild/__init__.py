"""The Guild's Nexus card: shipping twice, shipping like the Guild, taking what is paid for it. [NEXUS-GUILD-01]"""
