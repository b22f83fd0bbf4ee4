import { expect, test } from 'vitest';
import { exchange } from '../fuzz/raw-exchange.ts';
import { useWalletService } from '../wallets/use-service.ts';

const service = useWalletService();

/** Types that are none, and one of a body that nobody reads. */
const TYPES = ['', ';', 'x', 'application/json', 'application/json; charset=latin1', 'text/plain', '\u00ff/'];

test.each(['GET', 'DELETE'])(
  '%s answers as its contract says, whatever Content-Type it names',
  async (method) => {
    const { token } = await service().newAccount();
    const port = Number(new URL(service().baseUrl).port);
    for (const type of TYPES) {
      for (const [length, body] of [
        ['', ''],
        ['content-length: 5\r\n', 'hello'],
      ]) {
        const head = `${method} /v1/wallets/w_11111111111111111111 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`;
        const fields = `authorization: Bearer ${token}\r\ncontent-type: ${type}\r\n${length}`;
        const bytes = Buffer.from(`${head}${fields}\r\n${body}`, 'latin1');
        const answer = await exchange(port, bytes, { end: 'wait' });
        expect([type, body, answer.slice(0, 12)]).toEqual([type, body, 'HTTP/1.1 404']);
        expect(answer).toContain('wallet_not_found');
      }
    }
  },
);
