/** A notice for the member, with the page to open. */
export type Attention = {
  readonly id: string;
  readonly tone: 'warn' | 'bad';
  readonly text: string;
  readonly link: { readonly href: string; readonly title: string };
};
