import { seededRandom } from './random.ts';
import { type LabRun, runLab } from './run-lab.ts';
import { SCENARIOS } from './scenarios.ts';

/** Plays users of a gateway, some at once, while its nodes lag, take other forks, die and return. */
export function playSessions(
  sessions: number,
  atOnce: number,
): Promise<LabRun & { readonly failovers: number }> {
  const { users } = SCENARIOS;
  let failovers = 0;
  return runLab({
    scenario: { ...users, clients: { users: atOnce } },
    seed: seededRandom('sessions')(2 ** 31),
    until: async ({ timeline }) => {
      while (timeline.total('sessions') < sessions) await new Promise((resolve) => setTimeout(resolve, 100));
    },
    after: async ({ gateways }) => {
      const [gateway] = gateways;
      const text = await (await fetch(`${gateway?.baseUrl}/metrics`)).text();
      const counts = text.matchAll(/^keyslot_node_failovers_total\{.*\} (\d+)$/gm);
      failovers = [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
  }).then((run) => ({ ...run, failovers }));
}
