type ProgressProps = { readonly label: string; readonly value: number; readonly limit: number };

/** The used part of a limit, or the completed part of a task. */
export function Progress({ label, value, limit }: ProgressProps) {
  return <progress className="progress" aria-label={label} value={Math.min(value, limit)} max={limit} />;
}
