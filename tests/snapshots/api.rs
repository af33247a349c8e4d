//! The public interface, one item a row: what a user of the crate can name.
//!
//! Read from the sources with `syn`: rustdoc's JSON, which `cargo public-api` reads, is not on stable. Inherent items and
//! traits that are implemented by hand or derived are listed; blanket and automatic ones are not. All features.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, ItemMacro, TraitItem, Type, UseTree, Visibility};

type Module = Vec<String>;
/// An item by the module where it is written, and its name.
type Key = (Module, String);

struct Crate {
    modules: BTreeMap<Module, Vec<Item>>,
}

impl Crate {
    fn read(root: &Path) -> Self {
        let mut read = Self { modules: BTreeMap::new() };
        read.file(&root.join("lib.rs"), root, Vec::new());
        read
    }

    /// Reads the file of a module, whose own modules are in `dir`.
    fn file(&mut self, file: &Path, dir: &Path, module: Module) {
        let text = fs::read_to_string(file).unwrap();
        let items = syn::parse_file(&text).unwrap().items;
        self.items(items, dir, module);
    }

    fn items(&mut self, items: Vec<Item>, dir: &Path, module: Module) {
        for item in &items {
            let Item::Mod(inner) = item else { continue };
            if is_test(&inner.attrs) {
                continue;
            }
            let name = inner.ident.to_string();
            let (path, inside): (Module, PathBuf) = ([&module[..], std::slice::from_ref(&name)].concat(), dir.join(&name));
            match &inner.content {
                Some((_, items)) => self.items(items.clone(), &inside, path),
                None if inside.with_extension("rs").exists() => self.file(&inside.with_extension("rs"), &inside, path),
                None => self.file(&inside.join("mod.rs"), &inside, path),
            }
        }
        self.modules.insert(module, items);
    }

    /// Where the item is written that a module knows by this name.
    fn resolve(&self, module: &[String], name: &str, seen: &mut BTreeSet<Key>) -> Option<Key> {
        if !seen.insert((module.to_vec(), name.to_owned())) {
            return None;
        }
        let items = self.modules.get(module)?;
        if items.iter().any(|item| defines(item).as_deref() == Some(name)) {
            return Some((module.to_vec(), name.to_owned()));
        }
        items.iter().find_map(|item| {
            let Item::Use(used) = item else { return None };
            flat(&used.tree).into_iter().find_map(|(path, own, given)| {
                let path = absolute(module, &path)?;
                match given.as_str() {
                    "*" => self.resolve(&path, name, seen),
                    given if given == name => self.resolve(&path, &own, seen),
                    _ => None,
                }
            })
        })
    }

    /// The public names of a module, and where what they stand for is written.
    fn public(&self, module: &[String], seen: &mut BTreeSet<Module>) -> BTreeMap<String, Key> {
        let mut found = BTreeMap::new();
        if !seen.insert(module.to_vec()) {
            return found;
        }
        for item in self.modules.get(module).into_iter().flatten() {
            match item {
                Item::Use(used) if is_public(&used.vis) => {
                    for (path, own, given) in flat(&used.tree) {
                        let Some(path) = absolute(module, &path) else { continue };
                        if given == "*" {
                            found.extend(self.public(&path, seen));
                        } else if let Some(key) = self.resolve(&path, &own, &mut BTreeSet::new()) {
                            found.insert(given, key);
                        }
                    }
                }
                Item::Use(_) | Item::Mod(_) => {}
                item => {
                    if let Some(name) = defines(item).filter(|_| is_exposed(item)) {
                        found.insert(name.clone(), (module.to_vec(), name));
                    }
                }
            }
        }
        found
    }

    fn rows(&self) -> BTreeSet<String> {
        let mut rows = BTreeSet::new();
        let mut named: BTreeMap<Key, String> = BTreeMap::new();
        let mut open = vec![Vec::new()];
        while let Some(module) = open.pop() {
            for item in &self.modules[&module] {
                if let Item::Mod(inner) = item
                    && is_public(&inner.vis)
                    && !is_hidden(&inner.attrs)
                {
                    let path = [&module[..], &[inner.ident.to_string()]].concat();
                    rows.insert(format!("{} mod", shown(&path, "")));
                    open.push(path);
                }
            }
            for (name, key) in self.public(&module, &mut BTreeSet::new()) {
                let path = shown(&module, &name);
                let item = self.modules[&key.0].iter().find(|item| defines(item).as_deref() == Some(&key.1)).unwrap();
                if !is_hidden(attributes(item)) {
                    described(&path, item, &mut rows);
                    named.entry(key).or_insert(path);
                }
            }
        }
        for (module, items) in &self.modules {
            for item in items {
                match item {
                    Item::Impl(block) if !is_test(&block.attrs) => self.implemented(module, block, &named, &mut rows),
                    Item::Macro(made) if exported(made) && !is_hidden(&made.attrs) => {
                        rows.insert(format!("plimsoll::{}! macro", made.ident.as_ref().unwrap()));
                    }
                    _ => {}
                }
            }
        }
        rows
    }

    fn implemented(
        &self,
        module: &[String],
        block: &syn::ItemImpl,
        named: &BTreeMap<Key, String>,
        rows: &mut BTreeSet<String>,
    ) {
        let Type::Path(of) = &*block.self_ty else { return };
        let Some(name) = of.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        let Some(path) = self.resolve(module, &name, &mut BTreeSet::new()).and_then(|key| named.get(&key)) else {
            return;
        };
        if let Some((_, of, _)) = &block.trait_ {
            rows.insert(format!("{path} impl {}", text(of)));
            return;
        }
        for item in &block.items {
            match item {
                ImplItem::Fn(made) if is_public(&made.vis) && !is_hidden(&made.attrs) => {
                    rows.insert(format!("{path}::{}", text(&made.sig)));
                }
                ImplItem::Const(made) if is_public(&made.vis) => {
                    rows.insert(format!("{path}::{}: {}", made.ident, text(&made.ty)));
                }
                _ => {}
            }
        }
    }
}

/// The rows of an item by its path.
fn described(path: &str, item: &Item, rows: &mut BTreeSet<String>) {
    let open = attributes(item).iter().any(|attribute| attribute.path().is_ident("non_exhaustive"));
    let open = if open { " non_exhaustive" } else { "" };
    match item {
        Item::Struct(made) => {
            rows.insert(format!("{path} struct{open}"));
            for (at, field) in made.fields.iter().enumerate().filter(|(_, field)| is_public(&field.vis)) {
                let name = field.ident.as_ref().map_or_else(|| at.to_string(), ToString::to_string);
                rows.insert(format!("{path}.{name}: {}", text(&field.ty)));
            }
        }
        Item::Enum(made) => {
            rows.insert(format!("{path} enum{open}"));
            for variant in &made.variants {
                let fields = match &variant.fields {
                    Fields::Unit => String::new(),
                    Fields::Unnamed(fields) => text(fields),
                    Fields::Named(fields) => {
                        let named =
                            fields.named.iter().map(|f| format!("{}: {}", f.ident.as_ref().unwrap(), text(&f.ty)));
                        format!(" {{{}}}", named.collect::<Vec<_>>().join(", "))
                    }
                };
                rows.insert(format!("{path}::{}{fields}", variant.ident));
            }
        }
        Item::Trait(made) => {
            rows.insert(format!("{path} trait"));
            for item in &made.items {
                if let TraitItem::Fn(method) = item {
                    let given = if method.default.is_some() { " provided" } else { "" };
                    rows.insert(format!("{path}::{}{given}", text(&method.sig)));
                }
            }
        }
        Item::Fn(made) => {
            let at = path.rfind("::").map_or("", |at| &path[..at]);
            rows.insert(format!("{at}::{}", text(&made.sig)));
        }
        Item::Const(made) => {
            rows.insert(format!("{path}: {}", text(&made.ty)));
        }
        Item::Type(made) => {
            rows.insert(format!("{path} = {}", text(&made.ty)));
        }
        Item::Macro(made) => written(path, made, rows),
        _ => {}
    }
    for attribute in attributes(item).iter().filter(|attribute| attribute.path().is_ident("derive")) {
        let list = attribute.meta.require_list().unwrap().tokens.to_string();
        for derived in list.split(',').map(|name| name.replace(' ', "")).filter(|name| !name.is_empty()) {
            rows.insert(format!("{path} impl {derived}"));
        }
    }
}

/// What `words!` and `section!` write: an enum of words, a struct of parameters.
fn written(path: &str, made: &ItemMacro, rows: &mut BTreeSet<String>) {
    let Some((_, body)) = named_by_macro(made) else { return };
    let words = made.mac.path.is_ident("words");
    rows.insert(format!("{path} {} non_exhaustive", if words { "enum" } else { "struct" }));
    let parts = body.into_iter().collect::<Vec<_>>();
    for part in parts.split(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ',')) {
        let mut rest = part;
        while let [TokenTree::Punct(hash), TokenTree::Group(_), more @ ..] = rest
            && hash.as_char() == '#'
        {
            rest = more;
        }
        let mut row: TokenStream = rest.iter().cloned().collect();
        if !words {
            // The default is in the snapshot `contract`.
            row = rest
                .iter()
                .take_while(|token| !matches!(token, TokenTree::Punct(p) if p.as_char() == '='))
                .cloned()
                .collect();
        }
        if let [TokenTree::Ident(name), ..] = rest {
            let row = text(&row);
            rows.insert(if words { format!("{path}::{name}") } else { format!("{path}.{row}") });
        }
    }
}

/// The name and the body of what `words!` or `section!` is to write.
fn named_by_macro(made: &ItemMacro) -> Option<(String, TokenStream)> {
    if !made.mac.path.is_ident("words") && !made.mac.path.is_ident("section") {
        return None;
    }
    let tokens: Vec<TokenTree> = made.mac.tokens.clone().into_iter().collect();
    let [.., TokenTree::Ident(name), TokenTree::Group(body)] = &tokens[..] else { return None };
    Some((name.to_string(), body.stream()))
}

fn defines(item: &Item) -> Option<String> {
    match item {
        Item::Struct(made) => Some(made.ident.to_string()),
        Item::Enum(made) => Some(made.ident.to_string()),
        Item::Trait(made) => Some(made.ident.to_string()),
        Item::Fn(made) => Some(made.sig.ident.to_string()),
        Item::Const(made) => Some(made.ident.to_string()),
        Item::Type(made) => Some(made.ident.to_string()),
        Item::Macro(made) => named_by_macro(made).map(|(name, _)| name),
        _ => None,
    }
}

fn is_exposed(item: &Item) -> bool {
    match item {
        Item::Struct(made) => is_public(&made.vis),
        Item::Enum(made) => is_public(&made.vis),
        Item::Trait(made) => is_public(&made.vis),
        Item::Fn(made) => is_public(&made.vis),
        Item::Const(made) => is_public(&made.vis),
        Item::Type(made) => is_public(&made.vis),
        Item::Macro(made) => named_by_macro(made).is_some(),
        _ => false,
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Struct(made) => &made.attrs,
        Item::Enum(made) => &made.attrs,
        Item::Trait(made) => &made.attrs,
        Item::Fn(made) => &made.attrs,
        Item::Const(made) => &made.attrs,
        Item::Type(made) => &made.attrs,
        Item::Macro(made) => &made.attrs,
        _ => &[],
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident("doc") && a.to_token_stream().to_string().contains("hidden"))
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident("cfg") && a.to_token_stream().to_string().contains("(test)"))
}

fn exported(made: &ItemMacro) -> bool {
    made.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"))
}

/// The leaves of a `use`: the path before the name, the name, and the name that is given to it.
fn flat(tree: &UseTree) -> Vec<(Vec<String>, String, String)> {
    match tree {
        UseTree::Path(path) => {
            let before = |(rest, own, given): (Vec<String>, String, String)| {
                ([vec![path.ident.to_string()], rest].concat(), own, given)
            };
            flat(&path.tree).into_iter().map(before).collect()
        }
        UseTree::Name(name) => vec![(Vec::new(), name.ident.to_string(), name.ident.to_string())],
        UseTree::Rename(name) => vec![(Vec::new(), name.ident.to_string(), name.rename.to_string())],
        UseTree::Glob(_) => vec![(Vec::new(), "*".to_owned(), "*".to_owned())],
        UseTree::Group(group) => group.items.iter().flat_map(flat).collect(),
    }
}

/// The module that `path` names in `module`.
fn absolute(module: &[String], path: &[String]) -> Option<Module> {
    let (mut at, mut rest) = (module.to_vec(), path);
    match path.first().map(String::as_str) {
        Some("crate") => (at, rest) = (Vec::new(), &path[1..]),
        Some("self") => rest = &path[1..],
        _ => {}
    }
    while rest.first().is_some_and(|first| first == "super") {
        at.pop()?;
        rest = &rest[1..];
    }
    at.extend_from_slice(rest);
    Some(at)
}

fn shown(module: &[String], name: &str) -> String {
    let parts = std::iter::once("plimsoll").chain(module.iter().map(String::as_str)).chain(Some(name));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("::")
}

/// Tokens as rustfmt would have them, nearly.
fn text(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string().replace('\n', " ");
    for (long, short) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" ::", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        ("& ", "&"),
        (" :", ":"),
        ("[ ", "["),
        (" ]", "]"),
        (" ;", ";"),
        (",)", ")"),
        ("' ", "'"),
        (">(", "> ("),
        ("dyn Fn(", "dyn Fn("),
        ("- >", "->"),
        ("->(", "-> ("),
        ("->&", "-> &"),
    ] {
        text = text.replace(long, short);
    }
    text
}

#[test]
fn public_interface() {
    let rows = Crate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).rows();
    let listed: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let look =
        "All that a user of the crate can name, all features on: a row that goes or changes is a breaking change.";
    super::assert_shows("public-api", look, &listed);
}
