import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import pg from 'pg';

// Preloaded in a server: writes to stderr, in order, which REST requests ask the store's pool for a connection, and which get one. Work
// of no request is noted as `background` when it gets one.
// Each SIGUSR2 selects the next of STAGES: which requests are held before they ask.

type Request = { readonly id: number; readonly path: string; readonly response: ServerResponse };
type Connect = (done?: (...got: readonly unknown[]) => void) => Promise<unknown> | undefined;

const STAGES = ['nothing', 'lists', 'all', 'nothing', 'all', 'nothing'] as const;
const requests = new AsyncLocalStorage<Request>();
const held: (() => void)[] = [];
let [stage, lastId] = [0, 0];

function note(what: string): void {
  process.stderr.write(`turn: ${what}\n`);
}

function isHeld({ path }: Request): boolean {
  return STAGES[stage] === 'all' || (STAGES[stage] === 'lists' && path.startsWith('/account/'));
}

if (process.argv[2] === 'serve') {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    lastId += 1;
    const path = request.url ?? '';
    requests.enterWith({ id: lastId, path, response });
    note(`${lastId} begins ${path}`);
  });

  process.on('SIGUSR2', () => {
    stage += 1;
    if (STAGES[stage] === 'nothing') for (const ask of held.splice(0)) ask();
    note(`${STAGES[stage]} is held`);
  });

  const connect = pg.Pool.prototype.connect as Connect;
  const connectInBackground = (pool: pg.Pool, done: Parameters<Connect>[0]): ReturnType<Connect> => {
    const gets = (): void => note('0 gets background');
    if (done === undefined)
      return connect.call(pool)?.then((client) => {
        gets();
        return client;
      });
    return connect.call(pool, (...got) => {
      gets();
      done(...got);
    });
  };
  pg.Pool.prototype.connect = function (this: pg.Pool, done?: Parameters<Connect>[0]) {
    const request = requests.getStore();
    // Work after the answer is not counted for the request.
    if (request === undefined) return connectInBackground(this, done);
    if (request.response.writableEnded) return connect.call(this, done);
    const { id, path } = request;
    const asked = Promise.withResolvers<void>();
    note(`${id} comes ${path}`);
    const ask = (): void => {
      note(`${id} asks ${path}`);
      asked.resolve();
    };
    if (isHeld(request)) held.push(ask);
    else ask();
    const gets = (): void => note(`${id} gets ${path}`);
    if (done === undefined)
      return asked.promise
        .then(() => connect.call(this))
        .then((client) => {
          gets();
          return client;
        });
    void asked.promise.then(() =>
      connect.call(this, (...got) => {
        gets();
        done(...got);
      }),
    );
    return undefined;
  } as typeof pg.Pool.prototype.connect;
}
