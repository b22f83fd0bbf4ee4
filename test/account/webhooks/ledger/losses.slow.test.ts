import { test } from 'vitest';
import { rounds } from '../../../support/tier.ts';
import { loseNode } from './losses.ts';

const LOSSES = rounds(100);

test(
  `${LOSSES} losses of the node, and of the server, leave no hole that is not stated`,
  () => loseNode(LOSSES),
  900_000,
);
