/** Loaded ahead of a program that knows nothing of its parent: ends it when the parent is gone, however it went. */
process.once('disconnect', () => process.exit());
