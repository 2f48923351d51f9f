"""EinStein würfelt nicht! for two, three and four players."""
