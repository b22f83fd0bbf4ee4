import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

// Preloaded in a server: notes on stderr which requests node:http reads and sends.

function note(what: string): void {
  if (process.argv[2] === 'serve') process.stderr.write(`node:http ${what}\n`);
}

subscribe('http.server.request.start', (message) => {
  const { request } = message as { readonly request: IncomingMessage };
  note(`reads ${request.method}`);
});
subscribe('http.client.request.start', (message) => {
  const { request } = message as { readonly request: ClientRequest };
  note(`sends ${request.method}`);
});
