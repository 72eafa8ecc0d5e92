"""One msgspec struct for each message between the pieces of the house."""
