/** Something that the member should look at, and the page where. */
export type Attention = {
  readonly id: string;
  readonly tone: 'warn' | 'bad';
  readonly text: string;
  readonly link: { readonly href: string; readonly title: string };
};
