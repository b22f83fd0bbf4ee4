/** Returns the name of a row of the price list for people: `managed_signing` is Managed signing. */
export function priceRowName(row: string): string {
  const words = row.replaceAll('_', ' ').replace(/\bhd\b/g, 'HD');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
