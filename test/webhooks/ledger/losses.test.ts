import { test } from 'vitest';
import { loseNode } from './losses.ts';

const LOSSES = 20;

test(
  `${LOSSES} losses of the node, and of the server, leave no hole that is not stated`,
  () => loseNode(LOSSES),
  180_000,
);
