import { serviceError } from '../../base/service-error.ts';
import type { HttpHandler } from '../http/http-server.ts';
import { sendError } from '../http/respond.ts';

/** Answers a plain request on a WebSocket-only port. */
export const refuseHttp: HttpHandler = async (_request, response) => {
  response.setHeader('upgrade', 'websocket');
  sendError(response, serviceError('upgradeRequired'));
};
