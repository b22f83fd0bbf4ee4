import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { otherNode } from '../support/other-node.ts';
import { lendKeyslot } from '../support/packed-keyslot.ts';
import { packedSuite } from './packed-suite.ts';
import { NODES } from './tested-nodes.ts';

const [version] = NODES;
const found = await otherNode(version);

describe.skipIf('missing' in found)(
  `the packed keyslot on Node ${version}${'missing' in found ? `, which ${found.missing}` : ''}`,
  () => {
    let folder = '';
    beforeAll(async () => {
      folder = await lendKeyslot();
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));
    packedSuite(() => ({ folder, node: 'path' in found ? found.path : '' }));
  },
);
