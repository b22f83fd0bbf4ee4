import { alignmentPositions, type QrVersion } from './qr-version.ts';

/** Modules of a QR code by row and column; true is dark, undefined is not drawn yet. */
export type QrGrid = (boolean | undefined)[][];

const FORMAT_POLYNOMIAL = 0x537;
const FORMAT_MASK = 0x5412;
const VERSION_POLYNOMIAL = 0x1f25;

/** Returns a grid with everything but codewords: finders, timing, alignment, format and version. */
export function drawPatterns({ version, size }: QrVersion, mask: number): QrGrid {
  const grid: QrGrid = Array.from({ length: size }, () =>
    new Array<boolean | undefined>(size).fill(undefined),
  );
  const set = (x: number, y: number, isDark: boolean): void => {
    const row = grid[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark;
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawSquares(set, { x, y, reach: 4, isDark: (distance) => distance !== 2 && distance !== 4 });
  const positions = alignmentPositions(version);
  const last = positions.length - 1;
  for (const [row, y] of positions.entries())
    for (const [column, x] of positions.entries()) {
      const isFinder = (row === 0 && (column === 0 || column === last)) || (row === last && column === 0);
      if (!isFinder) drawSquares(set, { x, y, reach: 2, isDark: (distance) => distance !== 1 });
    }
  drawFormat(set, size, mask);
  drawVersion(set, size, version);
  return grid;
}

type SetModule = (x: number, y: number, isDark: boolean) => void;

type Squares = {
  readonly x: number;
  readonly y: number;
  readonly reach: number;
  readonly isDark: (distance: number) => boolean;
};

function drawSquares(set: SetModule, { x, y, reach, isDark }: Squares): void {
  for (let dy = -reach; dy <= reach; dy += 1)
    for (let dx = -reach; dx <= reach; dx += 1)
      set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
}

/** Level M is 00, so that the five bits of the format are those of the mask. */
function drawFormat(set: SetModule, size: number, mask: number): void {
  const bits = ((mask << 10) | remainder(mask, 10, FORMAT_POLYNOMIAL)) ^ FORMAT_MASK;
  const isDark = (index: number): boolean => ((bits >>> index) & 1) === 1;
  for (let index = 0; index <= 5; index += 1) set(8, index, isDark(index));
  set(8, 7, isDark(6));
  set(8, 8, isDark(7));
  set(7, 8, isDark(8));
  for (let index = 9; index < 15; index += 1) set(14 - index, 8, isDark(index));
  for (let index = 0; index < 8; index += 1) set(size - 1 - index, 8, isDark(index));
  for (let index = 8; index < 15; index += 1) set(8, size - 15 + index, isDark(index));
  set(8, size - 8, true);
}

function drawVersion(set: SetModule, size: number, version: number): void {
  if (version < 7) return;
  const bits = (version << 12) | remainder(version, 12, VERSION_POLYNOMIAL);
  for (let index = 0; index < 18; index += 1) {
    const isDark = ((bits >>> index) & 1) === 1;
    const near = size - 11 + (index % 3);
    const far = Math.floor(index / 3);
    set(near, far, isDark);
    set(far, near, isDark);
  }
}

/** Remainder of a BCH code whose generator has this degree. */
function remainder(value: number, degree: number, polynomial: number): number {
  let rest = value;
  for (let step = 0; step < degree; step += 1) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * polynomial);
  return rest;
}
