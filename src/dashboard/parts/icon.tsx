/** Shapes on a grid of 20 by 20, drawn with lines of 1.6. */
const SHAPES = {
  overview: 'M3 10.5 10 4l7 6.5M5 9v7h10V9M8.5 16v-4h3v4',
  key: 'M12.5 4a3.5 3.5 0 1 1-2.6 5.9L4 15.8V17h3v-2h2v-2l1.6-1.6M13.5 7h.01',
  usage: 'M3.5 16.5h13M6 14V9M10 14V4.5M14 14v-3',
  wallet: 'M3.5 6.5h12v9h-12zM3.5 6.5l9-3v3M15.5 9.5h-3.5v3h3.5',
  explorer: 'M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M13 13l4 4',
  billing: 'M3 5.500h14v9.500h-14zM3 8.500h14M6 12h3',
  invoices: 'M5 3.500h10v13l-2.500-1.500-2.500 1.500-2.500-1.500-2.500 1.500zM7.500 7h5M7.500 10h5',
  audit: 'M5 3.5h7l3 3v10H5zM7.5 8h5M7.5 11h5M7.5 14h3',
  members:
    'M8 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2.5 16.5c.5-3 2.500-4.500 5.500-4.500s5 1.500 5.500 4.500M13 4a3 3 0 0 1 0 5.500M15.500 12.500c1.200.800 1.800 2 2 4',
  security:
    'M10 3l6 2.200v4.500c0 3.800-2.500 6.300-6 7.800-3.500-1.500-6-4-6-7.800V5.200zM7.500 10l2 2 3.500-4',
  settings: 'M3.500 6h7M14.500 6h2M3.500 14h2M9.500 14h7M12.500 4v4M7.500 12v4',
  server: 'M3.500 4h13v5h-13zM3.500 11h13v5h-13zM6.500 6.500h.01M6.500 13.500h.01',
  accounts: 'M3.5 16.5v-11h6v11M9.500 9h7v7.500M3 16.500h14M6 8.500h1M6 11.500h1M12.500 12h1',
  plans: 'M3.500 5h13v3.500h-13zM3.500 11.500h9v3.500h-9z',
  log: 'M3.500 5.500h1M7 5.500h9.500M3.500 10h1M7 10h9.500M3.500 14.500h1M7 14.500h6',
  requests: 'M3.500 4.500h13v9h-7l-3.500 3v-3h-2.500zM10 11.500v-4.500M8 8.500l2-2 2 2',
  webhook: 'M3.5 10h9M9 6l4 4-4 4M16.500 4v12',
  service: 'M2.500 10.500h3.500l2.500-6 3.500 11 2.500-5h3',
  copy: 'M7.500 7.500h8v8h-8zM12.500 7.500v-3h-8v8h3',
  check: 'M4.500 10.500l3.500 3.500 7.500-8',
  menu: 'M3.500 6h13M3.500 10h13M3.500 14h13',
  close: 'M5 5l10 10M15 5L5 15',
} as const;

export type IconName = keyof typeof SHAPES;

/** An icon next to a text with the same meaning; screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
