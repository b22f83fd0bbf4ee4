import { request, Agent } from 'node:http';
import { text } from 'node:stream/consumers';

/** What a balancer's client is answered. */
export type Answer = { readonly status: number; readonly body: string };

export type RoundRobin = {
  /** Sends a POST to the next gateway. A gateway that refuses the connection is skipped; nothing else is sent twice. */
  readonly post: (path: string, body: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly close: () => void;
};

const CHECK_MS = 100;

/**
 * A balancer in front of gateways, with connections that are kept. It sends nothing to one whose `/readyz` is not 200.
 * @param baseUrls the address of each gateway.
 */
export function startRoundRobin(baseUrls: readonly string[]): RoundRobin {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const unready = new Set<string>();
  const check = async (baseUrl: string): Promise<void> => {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.ok === true) unready.delete(baseUrl);
    else unready.add(baseUrl);
  };
  const timer = setInterval(() => void baseUrls.map(check), CHECK_MS);
  let turn = 0;
  return {
    post: async (path, body, headers = {}) => {
      const chosen = baseUrls.filter((baseUrl) => !unready.has(baseUrl));
      const first = turn++;
      for (let tries = 1; ; tries++) {
        const baseUrl = chosen[(first + tries) % chosen.length];
        try {
          return await post(agent, `${baseUrl}${path}`, body, headers);
        } catch (error) {
          if (!isRefused(error) || tries >= chosen.length) throw error;
        }
      }
    },
    close: () => {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

/** Sends a POST over a connection of an agent. */
export function post(
  agent: Agent,
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      ...{ agent, method: 'POST' },
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.once('response', (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    });
    sent.once('error', reject).end(body);
  });
}
