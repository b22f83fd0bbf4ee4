import type { RouterOptions } from '../../src/server/http/router.ts';

const answerNotFound: RouterOptions['rest']['wallets'] = async (_, response) =>
  void response.writeHead(404).end();

/** In the place of the REST services. */
export const NOT_SERVED: RouterOptions['rest'] = { wallets: answerNotFound, account: answerNotFound };
