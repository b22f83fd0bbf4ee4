import { serviceError } from '../../../core/service-error.ts';
import type { HttpHandler } from '../../http/http-server.ts';

/** Leads a browser that opens the bare address to the dashboard. Other requests for it get `notFound`, which names the JSON-RPC paths. */
export function createRootRedirect(rpcPaths: readonly string[]): HttpHandler {
  const path = rpcPaths.join(', ');
  return async (request, response) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading || !acceptsHtml(request.headers.accept)) throw serviceError('notFound', { path });
    response
      .writeHead(302, {
        location: 'dashboard',
        'cache-control': 'no-store',
        vary: 'accept',
        'content-length': '0',
      })
      .end();
  };
}

/** True if HTML is named as such: curl and libraries accept everything. */
function acceptsHtml(accept: string | undefined): boolean {
  return /(^|,)\s*text\/html\s*(;(?!\s*q=0(\.0*)?\s*(,|$))|,|$)/i.test(accept ?? '');
}
