/** Settings: the list of pages, and one page. On a phone the list is the tab and a page is a detail. */
export function SettingsList(_props: { page?: string | undefined }) {
  return <section class="pane pane-list" aria-label="Settings" />;
}

/** `page` undefined (wide screens only): the first one. */
export function SettingsPage(_props: { page?: string | undefined }) {
  return <section class="pane pane-detail" aria-label="Settings page" />;
}
