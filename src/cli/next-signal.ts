/** Resolves with the next SIGTERM or SIGINT. */
export function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((done) => {
    const take = (signal: NodeJS.Signals): void => {
      process.off('SIGTERM', take).off('SIGINT', take);
      done(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}
