"""ReversiXT: Reversi for two to eight players on maps with holes, tunnels, special fields and bombs."""
