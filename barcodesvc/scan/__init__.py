"""What a scanner sent, turned into candidates for the catalogue; pure functions only."""
