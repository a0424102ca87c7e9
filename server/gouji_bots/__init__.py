"""Built-in policies: each chooses an action from what one seat may see."""
