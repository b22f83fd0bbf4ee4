/** The plan and the limits of the account. */
export function LimitPanel() {
  return null;
}
