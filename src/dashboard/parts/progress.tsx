type ProgressProps = { readonly label: string; readonly value: number; readonly limit: number };

/** How much of a limit is used, or of a task done. */
export function Progress({ label, value, limit }: ProgressProps) {
  return <progress className="progress" aria-label={label} value={Math.min(value, limit)} max={limit} />;
}
