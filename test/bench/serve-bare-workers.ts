import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

// Processes that share a port, as many as the argument says, and do nothing but parse each request and print an answer to each of its calls.

type Call = { readonly id: unknown };

const workers = Number(process.argv[2]);

if (cluster.isPrimary) {
  let listening = 0;
  cluster.on('listening', (_worker, { port }) => {
    listening += 1;
    if (listening === workers) process.stdout.write(`${JSON.stringify({ port })}\n`);
  });
  for (let worker = 0; worker < workers; worker += 1) cluster.fork();
} else {
  createServer(async (request, response) => {
    const body = (await json(request)) as Call | readonly Call[];
    const text = JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body as Call));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }).listen(0, '127.0.0.1');
}

function answer({ id }: Call): object {
  return { jsonrpc: '2.0', result: { context: { slot: 1 }, value: 1 }, id };
}
