/** A text with its line ends. */
export function Lines({ text }: { readonly text: string }) {
  return <span className="lines">{text}</span>;
}
