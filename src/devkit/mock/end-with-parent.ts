/** Preloaded into a program that does not watch its parent: ends it when the parent has exited. */
process.once('disconnect', () => process.exit());
