// The default theme with the fonts of the reader's system, so that nothing is loaded for them, and with links that its router
// does not follow: to the playground, to other versions and to a page's Markdown.
import { useData, withBase } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import "./style.css";

const outside = ({ text, link, label }, className) =>
  h("a", { class: className, href: link, target: "_self", "aria-label": label }, text);

const NavLinks = {
  props: { className: String },
  setup({ className }) {
    const { theme } = useData();
    return () => theme.value.outside.map((one) => outside(one, className));
  },
};

const AsMarkdown = () =>
  h("p", { class: "as-markdown" }, [
    outside({ text: "This page as Markdown", link: withBase(`/${useData().page.value.relativePath}`) }),
  ]);

export default {
  extends: theme,
  Layout: () =>
    h(theme.Layout, null, {
      "nav-bar-content-after": () => h(NavLinks, { className: "outside-link" }),
      "nav-screen-content-after": () => h(NavLinks, { className: "outside-screen-link" }),
      "doc-footer-before": () => h(AsMarkdown),
    }),
};
