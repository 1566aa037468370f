#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

/// A directory of its own with a root in it and secrets next to it, gone at the end.
class FileTree {
 public:
  FileTree() {
    std::string made = (std::filesystem::temp_directory_path() / "toolway-tools-XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    base_ = made;
    std::filesystem::create_directories(root());
  }
  ~FileTree() {
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  std::filesystem::path base() const { return base_; }
  std::filesystem::path root() const { return base_ / "root"; }

  void write(const std::string& path, const std::string& content) const {
    const auto full = root() / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << content;
  }
  void link(const std::string& target, const std::string& path) const {
    std::filesystem::create_symlink(target, root() / path);
  }

 private:
  std::filesystem::path base_;
};
