import { Link, useRoute } from 'wouter';

/** A view of a page, with its own address. */
export type Tab = { readonly href: string; readonly title: string };

/** Links to the views of a page. With one list per view, nothing below a list moves while it is loading. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <TabLink key={tab.href} {...tab} />
      ))}
    </nav>
  );
}

function TabLink({ href, title }: Tab) {
  const [isCurrent] = useRoute(href);
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
      {title}
    </Link>
  );
}
