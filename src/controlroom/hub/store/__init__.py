"""The hub's database: tables, migrations, and one module of queries for each noun."""
