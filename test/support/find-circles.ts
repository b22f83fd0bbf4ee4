import type { Arrow } from './source-files.ts';

/** Circles of imports, each as the path that leads back to its first file. Empty only if there is no circle; of several that overlap it may find one. */
export function findCircles(arrows: readonly Arrow[]): readonly (readonly string[])[] {
  const targets = Map.groupBy(arrows, ({ from }) => from);
  const circles: (readonly string[])[] = [];
  const seen = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) circles.push([...path.slice(start), file]);
    if (seen.has(file)) return;
    seen.add(file);
    path.push(file);
    for (const { to } of targets.get(file) ?? []) visit(to);
    path.pop();
  };
  for (const file of targets.keys()) visit(file);
  return circles;
}
