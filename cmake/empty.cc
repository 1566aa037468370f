// A folder without sources yet.
