import { askServer } from './ask-server.ts';
import type { NodesCommand } from './nodes-options.ts';
import { describeNodes } from './nodes-text.ts';
import type { Terminal } from './terminal.ts';

/**
 * `keyslot nodes`: what the running server of the data directory knows of its ledger nodes.
 *
 * @throws ServiceError `adminFailed` where none runs, or it does not answer.
 */
export async function nodes({ options }: NodesCommand, terminal: Terminal): Promise<void> {
  await askServer(options, terminal, { request: { kind: 'nodes' }, describe: describeNodes });
}
