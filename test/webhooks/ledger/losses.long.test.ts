import { test } from 'vitest';
import { loseNode } from './losses.ts';

const LOSSES = 100;

test(
  `${LOSSES} losses of the node, and of the server, leave no hole that is not stated`,
  () => loseNode(LOSSES),
  900_000,
);
