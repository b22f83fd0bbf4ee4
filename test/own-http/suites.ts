/** The suites that say what clients see, paths from test/, by the way they use. */
export const SERVER_SUITES = [
  ...['alone-or-together', 'batches', 'batch-turns', 'client-leaves', 'cors', 'envelope', 'http-framing'],
  ...['key-rules', 'limits', 'node-failures', 'pass-through', 'pipelined', 'refusals', 'shutdown'],
].map((name) => `server/${name}`);
export const CLIENT_SUITES = ['gateway/nodes/http/http-upstream', 'gateway/nodes/http/connection-pool'];
