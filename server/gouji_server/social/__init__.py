"""What people say to each other: phrases, whom one does not want to hear, and reports."""
