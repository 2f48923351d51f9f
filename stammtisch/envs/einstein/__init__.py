"""EinStein würfelt nicht!: a race with numbered stones and a die, for two, three and four players."""
