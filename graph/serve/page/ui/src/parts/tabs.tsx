// Parts of a page, each with an address: links, not buttons.
interface TabsProps {
  label: string;
  at: string;
  first: string; // the part without a word in the address
  base: string;
  tabs: (readonly [string, string])[];
}

export function Tabs(p: TabsProps) {
  const address = (part: string) => (part === p.first ? p.base : `${p.base}${p.base.includes("?") ? "&" : "?"}part=${part}`);
  return (
    <nav aria-label={p.label}>
      <ul class="tabs">{p.tabs.map(([part, text]) => <li key={part}><a href={address(part)} aria-current={part === p.at ? "page" : undefined}>{text}</a></li>)}</ul>
    </nav>
  );
}
